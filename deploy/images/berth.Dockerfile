# Berth itself, out of the file system that `npm run images` makes:
#   npm run images -- --rootfs build berth
#   docker build -f deploy/images/berth.Dockerfile -t registry.example.com/berth/berth:0.1.0 build/berth
FROM scratch
COPY . /
ENV PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp NODE_ENV=production
USER 10001:10001
WORKDIR /tmp
ENTRYPOINT ["/usr/bin/tini", "-s", "--", "/usr/local/bin/node", "/app/main.js"]
CMD ["server"]
