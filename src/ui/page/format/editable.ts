/** The part of a manifest that a user writes, as text: what the API server and controllers fill in is no edit. */

const FILLED_IN = /^ {2}(?:uid|creationTimestamp|generation|resourceVersion|selfLink|deletionTimestamp|deletionGracePeriodSeconds):/;

/** Without `status`, and without the fields of `metadata` that the API server sets. The text is YAML of the server's own making. */
export function editable(yaml: string): string {
  let block = '';
  const lines = yaml.split('\n').filter((line) => {
    const [, key] = /^([\w-]+):/.exec(line) ?? [];
    if (key !== undefined) block = key;
    return block !== 'status' && !(block === 'metadata' && FILLED_IN.test(line));
  });
  return `${lines.join('\n').trimEnd()}\n`;
}
