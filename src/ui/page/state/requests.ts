/** Requests to the server of the page, and what an answer other than 200 means. */
import type { Language } from './settings.ts';
import { type DatasetView, type EditPreview, type Fleet, type NodeView, paths } from '../../wire.ts';

/** An answer that is not the value that was asked for. */
export class Answered extends Error {
  override name = 'Answered';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const fetchFleet = (): Promise<Fleet> => get(paths.fleet);
export const fetchNodes = (): Promise<readonly NodeView[]> => get(paths.nodes);
export const fetchDataset = (namespace: string, name: string, language: Language): Promise<DatasetView> =>
  get(`${of(paths.datasets, namespace, name)}${language === 'zh' ? '?language=zh' : ''}`);
export const postPreview = (namespace: string, name: string, text: string): Promise<EditPreview> =>
  asked(of(paths.preview, namespace, name), { method: 'POST', headers: { 'content-type': 'application/yaml' }, body: text });

/** Exchanges a token for the cookie of a session. Rejects with `Answered` 401 when it is not valid. */
export async function signIn(token: string): Promise<void> {
  await answer(paths.session, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) });
}

const of = (path: string, namespace: string, name: string): string =>
  `${path}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
const get = <T>(path: string): Promise<T> => asked(path, {});

async function asked<T>(path: string, init: RequestInit): Promise<T> {
  // The contract of both sides, checked by the compiler of both, is src/ui/wire.ts.
  return (await (await answer(path, init)).json()) as T;
}

async function answer(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, { ...init, cache: 'no-store', credentials: 'same-origin' });
  if (!response.ok) throw new Answered(response.status, (await response.text()).trim() || `${response.status} ${response.statusText}`);
  return response;
}
