export function DeployPage() {
  return undefined;
}
