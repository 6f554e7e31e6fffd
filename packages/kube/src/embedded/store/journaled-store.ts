import type { KubeObject } from '../../schema/object.ts';
import { deepEqual } from './deep-equal.ts';
import { EventWindow } from './event-window.ts';
import type { Journal, JournalChange, JournalContents } from './journal.ts';
import { memoryJournal } from './journal.ts';
import { ObjectTable } from './object-table.ts';
import {
  type Decide,
  type Removal,
  type Seal,
  type Store,
  type StoreAddress,
  type StoredRecord,
  type StoreEvent,
  StoreUnavailableError,
  type WriteResult,
} from './store.ts';

export interface StoreOptions {
  /** How many events a watch may fall behind before it has to list again. */
  window?: number;
}

const DEFAULT_WINDOW = 5_000;
/** Bounds the size of one statement; what waits longer goes with the next. */
const LARGEST_BATCH = 500;
const LARGEST_BATCH_CHARACTERS = 8 * 1024 * 1024;

const plain: Seal = { seal: (_address, json) => json, unseal: (_address, text) => text };

export function memoryStore(options: StoreOptions = {}): Store {
  return new JournaledStore(memoryJournal(), options);
}

interface Job {
  address: StoreAddress;
  decide: Decide;
  resolve(result: WriteResult): void;
  reject(error: unknown): void;
}

interface Decided {
  job: Job;
  result: WriteResult;
  event: StoreEvent | undefined;
}

/** See store.ts for how a write travels. */
export class JournaledStore implements Store {
  readonly #journal: Journal;
  readonly #window: EventWindow;
  #seal: Seal = plain;
  /** What is committed: readers see this. */
  #committed = new ObjectTable();
  /** What the writer has decided, committed or not: `decide` sees this. */
  #head = new ObjectTable();
  #revision = 0;
  #queue: Job[] = [];
  #writing: Promise<void> | undefined;
  #lastCompaction = 0;
  #state: 'new' | 'open' | 'closed' = 'new';
  /** A batch whose fate the journal has not told yet. */
  #unsettled: Decided[] | undefined;

  constructor(journal: Journal, options: StoreOptions = {}) {
    this.#journal = journal;
    this.#window = new EventWindow(options.window ?? DEFAULT_WINDOW);
  }

  async open(seal: Seal = plain): Promise<void> {
    if (this.#state !== 'new') throw new Error('the store is open already, or closed');
    this.#seal = seal;
    try {
      this.#take(await this.#journal.load());
    } catch (error) {
      // A store that cannot be read must not stay locked for who can read it.
      this.#state = 'closed';
      await this.#journal.close();
      throw error;
    }
    this.#state = 'open';
  }

  get(address: StoreAddress): StoredRecord | undefined {
    return this.#committed.get(address);
  }

  list(resource: string, namespace?: string): StoredRecord[] {
    return this.#committed.list(resource, namespace);
  }

  revision(): number {
    return this.#revision;
  }

  compacted(): number {
    return this.#window.compacted();
  }

  watch(resource: string, since: number, listener: (event: StoreEvent) => void): () => void {
    return this.#window.watch(resource, since, listener);
  }

  write(address: StoreAddress, decide: Decide): Promise<WriteResult> {
    if (this.#state !== 'open') return Promise.reject(new StoreUnavailableError('the store is not open'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ address, decide, resolve, reject });
      this.#writing ??= this.#drain();
    });
  }

  preview(address: StoreAddress, decide: Decide): WriteResult {
    return this.#decide(address, decide, this.#revision).result;
  }

  async compact(revision: number): Promise<void> {
    this.#window.compact(revision);
    await this.#journal.compact(revision);
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    await this.#writing;
    await this.#journal.close();
  }

  /** Runs while there is work. Never rejects: each job gets its own answer. */
  async #drain(): Promise<void> {
    // Lets writes of the same turn of the event loop join the first batch.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      try {
        await this.#settle();
      } catch (error) {
        for (const job of this.#queue.splice(0))
          job.reject(new StoreUnavailableError('the store does not answer', error));
        break;
      }
      await this.#commit(this.#nextBatch());
      await this.#compactSometimes();
    }
    this.#writing = undefined;
  }

  #nextBatch(): Decided[] {
    const batch: Decided[] = [];
    let revision = this.#revision;
    let characters = 0;
    while (this.#queue.length > 0 && batch.length < LARGEST_BATCH && characters < LARGEST_BATCH_CHARACTERS) {
      const job = this.#queue.shift()!;
      try {
        const { result, event } = this.#decide(job.address, job.decide, revision);
        if (event) {
          revision = event.revision;
          characters += event.record.json.length;
          if (event.type === 'DELETED') this.#head.remove(job.address);
          else this.#head.put(event.record);
        }
        batch.push({ job, result, event });
      } catch (error) {
        job.reject(error);
      }
    }
    return batch;
  }

  async #commit(batch: Decided[]): Promise<void> {
    const changes = batch.flatMap(({ event }) => (event ? [this.#change(event)] : []));
    try {
      if (changes.length > 0) await this.#journal.append(changes, this.#revision);
    } catch (error) {
      this.#unsettled = batch;
      await this.#settle().catch(() => {
        // The journal is still away; the callers learn that their writes are in doubt, the next write asks again.
        for (const { job } of batch)
          job.reject(new StoreUnavailableError('the outcome of the write is not known', error));
      });
      return;
    }
    this.#publish(batch);
  }

  /** Asks the journal what became of a failed append, and makes the memory agree with it. */
  async #settle(): Promise<void> {
    const batch = this.#unsettled;
    if (!batch) return;
    const held = await this.#journal.revision();
    const last = batch.findLast(({ event }) => event !== undefined)!.event!.revision;
    this.#unsettled = undefined;
    if (held >= last) return this.#publish(batch);
    this.#head = this.#committed.clone();
    for (const { job } of batch) job.reject(new StoreUnavailableError('the store could not write'));
  }

  #publish(batch: Decided[]): void {
    for (const { job, result, event } of batch) {
      if (event) {
        this.#revision = event.revision;
        if (event.type === 'DELETED') this.#committed.remove(job.address);
        else this.#committed.put(event.record);
        this.#window.push(event);
      }
      job.resolve(result);
    }
  }

  /** The journal's log follows the window, a good while behind it. */
  async #compactSometimes(): Promise<void> {
    const compacted = this.#window.compacted();
    if (compacted === this.#lastCompaction) return;
    this.#lastCompaction = compacted;
    // A log that is longer than it need be harms nobody: the next compaction takes it along.
    await this.#journal.compact(compacted).catch(() => undefined);
  }

  #decide(
    address: StoreAddress,
    decide: Decide,
    revision: number,
  ): { result: WriteResult; event: StoreEvent | undefined } {
    const current = this.#head.get(address);
    const wanted = decide(current, this.#head);
    const unchanged = { result: { record: current, changed: false }, event: undefined };
    if (wanted === undefined || wanted === current?.object) return unchanged;
    if (isRemoval(wanted)) {
      if (!current) return unchanged;
      const record = makeRecord(address, wanted.removed, revision + 1);
      return {
        result: { record, changed: true },
        event: { type: 'DELETED', revision: revision + 1, record, previous: current },
      };
    }
    if (current && sameButForVersion(current.object, wanted)) return unchanged;
    const record = makeRecord(address, wanted, revision + 1);
    const type = current ? 'MODIFIED' : 'ADDED';
    return { result: { record, changed: true }, event: { type, revision: revision + 1, record, previous: current } };
  }

  #change({ type, revision, record, previous }: StoreEvent): JournalChange {
    const { address } = record;
    return {
      address,
      revision,
      type,
      value: this.#seal.seal(address, record.json),
      previous: previous && { revision: previous.revision, value: this.#seal.seal(address, previous.json) },
    };
  }

  #take(contents: JournalContents): void {
    for (const { address, revision, value } of contents.objects)
      this.#committed.put(this.#restore(address, revision, value));
    this.#head = this.#committed.clone();
    this.#revision = contents.revision;
    this.#window.reset(
      contents.events.map((change) => this.#restoreEvent(change)),
      contents.compacted,
    );
  }

  #restore(address: StoreAddress, revision: number, value: string): StoredRecord {
    const json = this.#seal.unseal(address, value);
    return { address, revision, object: JSON.parse(json) as KubeObject, json };
  }

  #restoreEvent({ type, address, revision, value, previous }: JournalChange): StoreEvent {
    return {
      type,
      revision,
      record: this.#restore(address, revision, value),
      previous: previous && this.#restore(address, previous.revision, previous.value),
    };
  }
}

function isRemoval(wanted: KubeObject | Removal): wanted is Removal {
  return 'removed' in wanted && !('metadata' in wanted);
}

function makeRecord(address: StoreAddress, wanted: KubeObject, revision: number): StoredRecord {
  const object = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: String(revision) } };
  return { address, revision, object, json: JSON.stringify(object) };
}

function sameButForVersion(left: KubeObject, right: KubeObject): boolean {
  const version = left.metadata.resourceVersion;
  return deepEqual(left, { ...right, metadata: { ...right.metadata, resourceVersion: version } });
}
