// The stage on a real cluster: it comes up, Berth is installed with its chart, everything is tried, and nothing may stay.
export async function clusterStage() {
  throw new Error('not yet');
}
