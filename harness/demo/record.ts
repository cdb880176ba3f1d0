/** Records `npm run demo`, as docs/demo.svg and as the text of README.md: `npx node harness/demo/record.ts`. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Line, recordingOf, uncoloured } from './recording.ts';

const root = join(import.meta.dirname, '../..');
const COMMAND = '$ npm run -s demo';
const TITLE =
  'A terminal shows npm run demo: three Datasets become Bound, a DaemonSet that was deleted returns, data is loaded, a missing Secret is explained, and everything is removed.';

/** A machine like a reader's: nothing is built. */
const env = { PATH: process.env['PATH'], HOME: tmpdir(), XDG_CACHE_HOME: join(tmpdir(), 'sluice-no-cache'), FORCE_COLOR: '1' };
const child = spawn(process.execPath, [join(root, 'harness/demo/main.ts')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
const began = performance.now();
const lines: Line[] = [{ at: 0, text: COMMAND }];
for await (const text of createInterface(child.stdout)) lines.push({ at: performance.now() - began, text });
if (child.exitCode !== 0 && child.exitCode !== null) throw new Error(`the demo ended with code ${child.exitCode}: nothing is recorded`);

writeFileSync(join(root, 'docs/demo.svg'), recordingOf(lines, TITLE));
const page = join(root, 'README.md');
const block = `<!-- demo -->\n\`\`\`\n${lines.map(({ text }) => uncoloured(text)).join('\n')}\n\`\`\`\n<!-- end demo -->`;
writeFileSync(
  page,
  readFileSync(page, 'utf8').replace(/<!-- demo -->.*?<!-- end demo -->/s, () => block),
);
