export function install(): Promise<void>;
export function installTools(folder: string): Promise<string>;
export function isInstalled(directory?: string): boolean;
