# Any image of the catalogue, out of the file system that `npm run images` makes:
#   npm run images -- --rootfs build guestbook
#   docker build -f deploy/images/shipped.Dockerfile -t registry.example.com/berth/guestbook:1 build/guestbook
FROM scratch
COPY . /
ENV PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp
USER 10001:10001
WORKDIR /tmp
ENTRYPOINT ["/usr/bin/tini", "-s", "--", "/usr/local/bin/node", "/image/main.mjs"]
