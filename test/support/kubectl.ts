import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { toolPath, wantedTools } from '../../harness/tools/tools.ts';

/** The folder of the kubectl that this project builds, or else of the one on the PATH; undefined when there is neither. */
export function kubectlFolder(env: Readonly<Record<string, string | undefined>> = process.env): string | undefined {
  const built = wantedTools('control plane').flatMap((tool) => (tool.name === 'kubectl' ? dirname(toolPath(tool)) : []));
  return [...built, ...(env['PATH'] ?? '').split(delimiter)].find((folder) => existsSync(join(folder, 'kubectl')));
}
