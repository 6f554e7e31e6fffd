export function DeploymentPage() {
  return undefined;
}
