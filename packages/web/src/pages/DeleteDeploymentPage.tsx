export function DeleteDeploymentPage() {
  return undefined;
}
