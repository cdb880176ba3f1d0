/** Which image each program runs: the spec's, else the installation's, else that of Fluid's chart; the repository and the tag by themselves. */
import { describe, expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import type { AlluxioRuntimeSpec } from '../../../runtimes/alluxio/spec.ts';
import { container, given } from './given.ts';

const CHART = 'alluxio/alluxio-dev:2.9.0';
const imagesOf = (spec: AlluxioRuntimeSpec = {}, env: Readonly<Record<string, string>> = {}) => {
  const input = given({ spec: { apiGateway: { enabled: true }, ...spec }, settings: { env } });
  const engine = (['master', 'job-master', 'worker', 'job-worker'] as const).map(
    (name) => container(input, name.endsWith('master') ? 'master' : 'worker', `alluxio-${name}`).image,
  );
  const [image, ...others] = new Set([...engine, container(input, 'master', 'api-gateway').image]);
  expect(others).toEqual([]);
  return { engine: image, fuse: container(input, 'fuse', 'alluxio-fuse').image };
};

describe('images', () => {
  test('are those of the chart of Fluid by default', () => expect(imagesOf()).toEqual({ engine: CHART, fuse: CHART }));
  test('are those of the installation, each in a variable of its own', () => {
    expect(alluxio.env).toEqual(expect.arrayContaining(['ALLUXIO_FUSE_IMAGE_ENV', 'ALLUXIO_RUNTIME_IMAGE_ENV']));
    expect(imagesOf({}, { ALLUXIO_RUNTIME_IMAGE_ENV: 'host:5000/alluxio:2.9.4', ALLUXIO_FUSE_IMAGE_ENV: 'host:5000/fuse:2.9.5' })).toEqual({
      engine: 'host:5000/alluxio:2.9.4',
      fuse: 'host:5000/fuse:2.9.5',
    });
    expect(imagesOf({}, { ALLUXIO_RUNTIME_IMAGE_ENV: 'untagged', ALLUXIO_FUSE_IMAGE_ENV: 'host:5000/untagged' })).toEqual({
      engine: CHART,
      fuse: CHART,
    });
  });
  test('are those of the spec before all', () =>
    expect(
      imagesOf(
        { alluxioVersion: { image: 'mine' }, fuse: { imageTag: '2.8.0' } },
        { ALLUXIO_RUNTIME_IMAGE_ENV: 'other/alluxio:2.9.4', ALLUXIO_FUSE_IMAGE_ENV: 'other/fuse:2.9.5' },
      ),
    ).toEqual({ engine: 'mine:2.9.4', fuse: 'other/fuse:2.8.0' }));
});

describe('a tag', () => {
  test.each(['latest', 'v10', 'dev-2.9.0', ''])('of the client that is no version is refused, as in Fluid: %j', (tag) => {
    const input = () => alluxio.bind(given({ spec: { fuse: { imageTag: tag } }, settings: { env: { ALLUXIO_FUSE_IMAGE_ENV: 'a:edge' } } }));
    expect(input).toThrow('spec.fuse.imageTag: expected a version such as 2.9.0');
  });
  test.each(['latest', 'v10'])('of masters and workers may be any: %s', (imageTag) =>
    expect(imagesOf({ alluxioVersion: { imageTag } }).engine).toBe(`alluxio/alluxio-dev:${imageTag}`),
  );
});
