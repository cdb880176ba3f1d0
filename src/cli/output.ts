import { Option } from 'commander';
import { stringify } from 'yaml';
import type { Manifest } from '../api/index.ts';

export type OutputFormat = 'yaml' | 'json';

export const outputOption = (): Option => new Option('-o, --output <format>', 'output format').choices(['yaml', 'json']).default('yaml');

/** Input for `kubectl apply -f -`: documents, or one List. Lines are never folded, so that scripts can be read and compared. */
export function printed(manifests: readonly Manifest[], format: OutputFormat): string {
  if (format === 'json') return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }, null, 2)}\n`;
  return manifests.map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n');
}
