export function imageNames(): string[];
export function buildImage(name: string, directory: string): Promise<string>;
