/** Documents about the server, and the forms and rules of its objects. */
import { definedVersion } from '../api-server/definition.ts';
import type { WireAnswer } from '../api-server/wire/answers.ts';
import { discovery } from '../api-server/wire/discovery.ts';
import type { WireParts } from '../api-server/wire/serve.ts';
import { tableOf } from '../api-server/wire/table/index.ts';
import type { Definitions } from './definitions.ts';
import { KUBERNETES } from './nodes.ts';

const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(KUBERNETES) ?? [];
const VERSION = { major, minor, gitVersion: `${KUBERNETES}+sluice-playground`, gitCommit: '', gitTreeState: '', platform: 'linux/amd64' };
const HEALTH = new Set(['/healthz', '/livez', '/readyz']);

/** @param now ms since the epoch, for ages */
export function createDocuments(definitions: () => Definitions, now: () => number): Pick<WireParts, 'document' | 'table'> {
  return {
    document(sent, accept): WireAnswer | undefined {
      const [path = ''] = sent.split('?');
      if (HEALTH.has(path)) return { status: 200, headers: {}, text: 'ok' };
      if (path === '/version') return json(VERSION);
      const found = discovery(path, accept, definitions().served) ?? definitions().openApi(path, accept);
      return found && json(found.body, found.contentType);
    },
    table({ type, query }, objects, metadata) {
      const includeObject = query.get('includeObject');
      return tableOf(type, objects, {
        ...metadata,
        columns: definedVersion(definitions().crds, type)?.additionalPrinterColumns ?? [],
        now: now(),
        includeObject: includeObject === 'None' || includeObject === 'Object' ? includeObject : 'Metadata',
      });
    },
  };
}

const json = (body: object, type = 'application/json'): WireAnswer => ({
  status: 200,
  headers: { 'content-type': type },
  text: JSON.stringify(body),
});
