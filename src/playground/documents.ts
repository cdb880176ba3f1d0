/** What a server says of itself, and the forms and rules of its objects. */
import type { WireAnswer } from '../api-server/wire/answers.ts';
import { discovery } from '../api-server/wire/discovery.ts';
import type { WireParts } from '../api-server/wire/serve.ts';
import { type PrinterColumn, tableOf } from '../api-server/wire/table/index.ts';
import type { KubeObject, ResourceType } from '../kube/types.ts';
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
        columns: columnsOf(definitions().crds, type),
        now: now(),
        includeObject: includeObject === 'None' || includeObject === 'Object' ? includeObject : 'Metadata',
      });
    },
  };
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly additionalPrinterColumns?: readonly PrinterColumn[] }[];
  };
}
function columnsOf(crds: readonly KubeObject[], { group, plural, version }: ResourceType): readonly PrinterColumn[] {
  const found = (crds as unknown as readonly Definition[]).find(({ spec }) => spec.group === group && spec.names.plural === plural);
  return found?.spec.versions.find(({ name }) => name === version)?.additionalPrinterColumns ?? [];
}

const json = (body: object, type = 'application/json'): WireAnswer => ({
  status: 200,
  headers: { 'content-type': type },
  text: JSON.stringify(body),
});
