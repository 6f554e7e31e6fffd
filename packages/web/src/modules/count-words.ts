export function countWords(deployments: number): string {
  return `${deployments} ${deployments === 1 ? 'deployment' : 'deployments'}`;
}
