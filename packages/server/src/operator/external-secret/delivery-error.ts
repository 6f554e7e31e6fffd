/** Why a secret cannot be delivered, for the status. */
export class DeliveryError extends Error {
  /** The other side may be well again soon: worth a retry that backs off. */
  readonly temporary: boolean;

  constructor(message: string, options: { temporary?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'DeliveryError';
    this.temporary = options.temporary ?? false;
  }
}
