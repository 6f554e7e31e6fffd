import { type KubeObject, objectKey } from '../schema/object.ts';
import { CONFIG_MAP } from '../schema/resources.ts';
import { applyIfChanged } from './apply.ts';
import type { KubeClient } from './client.ts';
import { createController } from './controller.ts';
import type { Logger } from './logger.ts';
import { controllerReference, isGoing, toController } from './owner.ts';
import { createReflector } from './reflector.ts';

/** Keeps a greeting for every ConfigMap that carries the label `greet`. */
export function createGreeter(client: KubeClient, logger: Logger) {
  const asked = createReflector({ client, logger, type: CONFIG_MAP, name: 'asked', labelSelector: 'greet' });
  const greetings = createReflector({ client, logger, type: CONFIG_MAP, name: 'greetings', labelSelector: 'greeting' });
  const controller = createController({
    name: 'greeter',
    logger,
    async reconcile(key) {
      const owner = asked.get(key);
      if (!owner || isGoing(owner)) return;
      const { name, namespace, labels } = owner.metadata;
      const ownerReferences = [controllerReference(owner)];
      const metadata = { name: `${name}-greeting`, namespace, labels: { greeting: 'yes' }, ownerReferences };
      const data = { text: `Hello, ${labels?.greet}!` };
      const desired: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
      const current = greetings.get(objectKey(desired));
      const options = { desired, current, fieldManager: 'greeter', hashAnnotation: 'example.test/applied' };
      await applyIfChanged(client, CONFIG_MAP, options);
    },
  });
  controller.watches(asked, (object) => [objectKey(object)]).watches(greetings, toController(CONFIG_MAP));
  const stop = () => Promise.all([controller.stop(), asked.stop(), greetings.stop()]);
  return { controller, stop };
}
