export type MachineState = Record<string, string[]>;
export function machineState(cluster: string): Promise<MachineState>;
export function newOnMachine(before: MachineState, after: MachineState): string[];
