/** The container cannot be made as declared. Reported as its waiting reason, and tried again: what is missing may come. */
export class ContainerConfigError extends Error {
  readonly reason: string;

  constructor(message: string, reason = 'CreateContainerConfigError') {
    super(message);
    this.name = 'ContainerConfigError';
    this.reason = reason;
  }
}
