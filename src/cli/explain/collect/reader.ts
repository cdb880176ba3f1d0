import type { KubeClient } from '../../../kube/contract.ts';
import { ApiError, isNotFound, NoAnswer } from '../../../kube/errors.ts';
import { redactedText } from '../../../api/redact.ts';
import type { KubeObject, ObjectName, ResourceType } from '../../../kube/types.ts';

/** Reads what the user may read. What is refused is noted, and left out. */
export interface Reader {
  get(type: ResourceType, name: ObjectName): Promise<KubeObject | undefined>;
  /** Page by page: no more than one is in memory. */
  all(type: ResourceType, selection: { readonly namespace: string; readonly labelSelector?: string }): AsyncIterable<KubeObject>;
  /** The latest lines of a container, redacted; undefined if there are none. */
  log(pod: { readonly namespace: string; readonly name: string }, container: string, previous: boolean): Promise<string | undefined>;
  /** Objects that were left out, and why. */
  readonly notes: string[];
}

const PAGE = 100;
const LINES = 2000;
/** Bytes kept of one log, its end. */
const KEPT_BYTES = 1 << 20;
/** Lines may be long: more is not read. */
const READ_BYTES = 32 << 20;
/** In front of what is kept, so that it is redacted by what came before it. */
const MARGIN_BYTES = 1 << 16;

export function createReader(client: KubeClient): Reader {
  const notes: string[] = [];
  async function attempt<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof NoAnswer)) throw error;
      notes.push(redactedText(error.message));
      return undefined;
    }
  }
  return {
    notes,
    get: (type, name) => attempt(() => client.get(type, name)),
    async *all(type, selection) {
      let token: string | undefined;
      do {
        const options = { ...selection, limit: PAGE, ...(token !== undefined && { continue: token }) };
        // A kind that is not installed has no objects.
        const page = await attempt(() => client.list(type, options).catch(noneIfAbsent));
        if (!page) return;
        yield* page.items;
        token = page.continue;
      } while (token !== undefined);
    },
    log: ({ namespace, name }, container, previous) =>
      attempt(async () => {
        const query = new URLSearchParams({
          container,
          tailLines: String(LINES),
          limitBytes: String(READ_BYTES),
          previous: String(previous),
        });
        const answer = await client.raw('GET', `/api/v1/namespaces/${namespace}/pods/${name}/log?${query}`, { retries: 0 });
        // A log of one line may be JSON.
        return latest(typeof answer === 'string' ? answer : `${JSON.stringify(answer)}\n`);
      }),
  };
}

/** The end of a log, from the beginning of a line, redacted. */
function latest(log: string): string {
  return fromLine(redactedText(fromLine(log, KEPT_BYTES + MARGIN_BYTES)), KEPT_BYTES);
}
function fromLine(text: string, bytes: number): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  const end = whole.subarray(whole.length - bytes);
  const line = end.indexOf('\n');
  return `[earlier lines are left out]\n${end.subarray(line === -1 ? 0 : line + 1).toString()}`;
}

async function noneIfAbsent(error: unknown) {
  if (isNotFound(error)) return { items: [], continue: undefined };
  throw error;
}
