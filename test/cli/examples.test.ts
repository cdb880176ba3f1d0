/** Each folder of examples, and each manifest on a page, passes the checks that the pages recommend: readers copy them. */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { checkOffline } from '../../src/cli/diff/offline.ts';
import { faultLine } from '../../src/cli/input/faults.ts';
import { readFiles, readInput } from '../../src/cli/input/read.ts';
import { settingsOf } from '../../src/cli/settings/config.ts';
import { SluiceValidation } from '../../src/cli/synth/cdk8s-validation.ts';
import { among } from '../../src/cli/synth/lookup.ts';
import { renderAll } from '../../src/cli/synth/render.ts';
import { generate } from './argo-plugin.ts';
import { folder } from './folder.ts';
import { root, sluice } from './run.ts';

type Texts = readonly (readonly [string, string])[];
const options = { settings: settingsOf({}, {}, runtimes), runtimes };
const inputOf = (texts: Texts) => readInput(texts, runtimes, 'default');

/** As `sluice diff --offline` reports them. */
const faultsIn = async (texts: Texts): Promise<readonly string[]> => (await checkOffline(inputOf(texts), options)).faults.map(faultLine);

/**
 * Objects of Argo CD and Flux, of pipelines and of Kubernetes, and those that show what a status may be. The kind of a vendor's package is
 * known where that is installed: its own test does that.
 */
const OTHERS = /^examples\/(?:gitops|ci|policies|vendor-)/;
const FILES = globSync('examples/**/*.yaml', { cwd: root })
  .filter((file) => !OTHERS.test(file))
  .toSorted();
const FOLDERS = [...new Set(FILES.map((file) => dirname(file)))];

test('every folder of examples is among these, or of other kinds', () => {
  expect(FOLDERS.length).toBeGreaterThan(12);
  expect(FOLDERS).toEqual(expect.arrayContaining(['examples', 'examples/profiles/s3', 'examples/mooncake', 'examples/seaweedfs']));
  const others = globSync('examples/**/*.yaml', { cwd: root }).filter((file) => OTHERS.test(file));
  const ours = others.filter((file) => /^apiVersion: data\.fluid\.io/m.test(readFileSync(join(root, file), 'utf8')));
  expect(ours.filter((file) => !/\/testdata\/|\/vendor-/.test(file))).toEqual([]);
});

describe.each(FOLDERS)('%s', (path) => {
  test('diff --offline finds no fault', async () => {
    const texts = await readFiles([join(root, path)]);
    expect(inputOf(texts).own.size).toBeGreaterThan(0);
    expect(await faultsIn(texts)).toEqual([]);
  });
  test('synth prints objects', async () => {
    const count = { manifests: 0 };
    const input = inputOf(await readFiles([join(root, path)]));
    await renderAll(input, { ...options, elsewhere: among([]), assumeSecrets: true }, ({ length }) => void (count.manifests += length));
    expect(count.manifests).toBeGreaterThan(0);
  });
});

describe('all of them in one folder', () => {
  const texts = FILES.map((file) => [file.replaceAll('/', '-'), readFileSync(join(root, file), 'utf8')] as const);

  test("pass Argo CD's plugin, as they are", async () => {
    const { code, stdout, stderr } = await generate(folder(Object.fromEntries(texts)), { PARAM_NAMESPACE: 'default' });
    expect(stderr).toMatch(/No faults in \d+ objects/);
    expect(code).toBe(0);
    const objects = (text: string) => parseAllDocuments(text).flatMap((each) => (each.toJS() as object | null) ?? []);
    expect(objects(stdout)).toEqual(expect.arrayContaining(texts.flatMap(([, text]) => objects(text))));
  });

  test('pass the validation of cdk8s', async () => {
    const at = folder(Object.fromEntries(texts));
    const violations: object[] = [];
    const statuses: string[] = [];
    await new SluiceValidation().validate({
      manifests: texts.map(([name]) => join(at, name)),
      report: { addViolation: (violation) => void violations.push(violation), submit: (status) => void statuses.push(status) },
      logger: { log: () => {} },
    });
    expect([violations, statuses]).toEqual([[], ['success']]);
  });
});

test('a folder with folders below it says that these are not read', async () => {
  const { code, stdout, stderr } = await sluice(['diff', '--offline', 'examples']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^No faults in \d+ objects\./)]);
  expect(stderr).toMatch(/^note: examples: \d+ folders below are not read: ci, gitops, mooncake, .* more$/m);
});

/** Pages whose manifests are of a kind that the page itself makes; its own test follows it. */
const OWN_KIND = new Set(['docs/adding-a-runtime.md']);
const PAGES = globSync(['*.md', 'docs/**/*.md', 'runtimes/*/README.md', 'examples/**/README.md'], { cwd: root })
  .filter((page) => !OWN_KIND.has(page))
  .toSorted();
const MANIFESTS = PAGES.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```(?:yaml|json)\n(.*?)^```$/gms)]
    .filter(([, text = '']) => /^\s*"?apiVersion"?: "?data\.fluid\.io\//m.test(text) && /^\s*"?metadata"?:/m.test(text))
    .map(([, text = ''], i) => [`${page}, ${i + 1}`, text] as const),
);

test('the manifests of many pages are found', () => {
  expect(MANIFESTS.length).toBeGreaterThan(20);
  const names = new Set(MANIFESTS.map(([title]) => basename(title.split(',')[0] ?? '')));
  expect([...names]).toEqual(expect.arrayContaining(['operations.md', 'thin-runtime.md', 'README.md']));
});

test.each(MANIFESTS)('%s has no fault', async (title, text) => expect(await faultsIn([[title, text]])).toEqual([]));
