import { joinClusterNetwork } from '../runtime/cluster-network.ts';
import { listenOnPod } from '../runtime/listen-on-pod.ts';
import { runtimeSettings } from '../runtime/settings.ts';

/** Loaded before the app, so that it finds services by their names and listens on the pod's address without knowing of either. */
const settings = runtimeSettings(process.env);
joinClusterNetwork(settings);
if (settings.hostsFile) listenOnPod(settings);
