import type { KubeObject } from '../../../src/kube/types.ts';
import { A, B, CANARY, PRIVATE, V } from '../scene.ts';
import { where } from '../words.ts';
import type { Invariant } from './invariant.ts';

const texts = new WeakMap<KubeObject, string>();
/** An object as text; objects never change. */
function textOf(object: KubeObject): string {
  const known = texts.get(object) ?? (object.kind === 'Secret' ? decoded(object) : JSON.stringify(object));
  texts.set(object, known);
  return known;
}
const decoded = (secret: KubeObject): string =>
  Object.values((secret['data'] ?? {}) as Readonly<Record<string, string>>)
    .map((each) => Buffer.from(each, 'base64').toString())
    .join('\n');

export function around(text: string, part: string): string {
  const at = text.indexOf(part);
  return `…${text.slice(Math.max(0, at - 80), at + 60)}…`;
}

/** Nothing in the attacker's namespaces says what only the victim, or an administrator, knows. */
export const nothingPrivateLeaks: Invariant = ({ server }) =>
  server
    .all()
    .filter(({ metadata: { namespace } }) => namespace === A || namespace === B)
    .flatMap((object) => {
      const text = textOf(object);
      // A granted Dataset shows where its data comes from.
      const leak = text.includes(PRIVATE) && [...text.matchAll(new RegExp(`${PRIVATE}-(\\w+)`, 'g'))].find(([, what]) => what !== 'shared');
      return leak ? [`${where(object)} has the text ${leak[0]}`] : [];
    });

const TEMPLATES = new Set(['DaemonSet', 'StatefulSet', 'Job', 'CronJob', 'Pod', 'Role', 'RoleBinding', 'PersistentVolumeClaim']);
/** Nothing that runs in the victim's namespace has a text of the attacker. */
export const victimsTemplatesAreTheirs: Invariant = ({ server }) =>
  server
    .all()
    .filter(({ kind, metadata: { namespace } }) => namespace === V && TEMPLATES.has(kind))
    .flatMap((object) => {
      const text = textOf(object);
      return text.includes(CANARY) ? [`${where(object)} has ${around(text, CANARY)}`] : [];
    });

/** Texts that Sluice writes for users to read are short. */
export const messagesAreShort: Invariant = ({ server }) =>
  server.all().flatMap((object) => {
    const { conditions } = (object['status'] ?? {}) as { conditions?: readonly { type?: string; message?: string }[] };
    const long = Array.isArray(conditions) ? conditions.find(({ message }) => (message?.length ?? 0) > 20_000) : undefined;
    return long ? [`${where(object)} has a condition ${long.type} of ${long.message?.length} characters`] : [];
  });
