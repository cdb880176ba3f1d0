import { describe, expect, test } from 'vitest';
import jindo from '../../runtimes/jindo/index.ts';
import vineyard from '../../runtimes/vineyard/index.ts';
import { imageTable, inRegistry } from '../../src/constructs/index.ts';
import { imageFaults } from '../../src/testing/conformance/images.ts';
import * as ofJindo from '../runtimes/jindo/given.ts';
import * as ofVineyard from '../runtimes/vineyard/given.ts';

test.each([
  ['acme/acme:1', 'mirror.example/acme/acme:1'],
  ['quay.io/acme/acme:1', 'mirror.example/acme/acme:1'],
  ['registry:5000/acme:1', 'mirror.example/acme:1'],
  ['localhost/acme:1', 'mirror.example/acme:1'],
  ['acme:1', 'mirror.example/acme:1'],
])('puts %s into another registry with its path and tag', (image, moved) => expect(inRegistry(image, 'mirror.example')).toBe(moved));

describe('an installation with a registry', () => {
  const table = imageTable({ worker: ['ACME_IMAGE_ENV', 'quay.io/acme/acme:1'] });
  const registry = 'mirror.example/cache';
  test.each<[string, Record<string, string>, object | undefined, string]>([
    ['moves the default image', {}, undefined, 'mirror.example/cache/acme/acme:1'],
    ['moves it also for another tag', {}, { imageTag: '2' }, 'mirror.example/cache/acme/acme:2'],
    ['leaves the image of a spec', {}, { image: 'docker.io/acme', imageTag: '2' }, 'docker.io/acme:2'],
    ['leaves the image of a variable', { ACME_IMAGE_ENV: 'docker.io/acme:3' }, undefined, 'docker.io/acme:3'],
  ])('%s', (_, env, said, image) => expect(table.of('worker', { env, registry }, said).image).toBe(image));
  test.each([
    ['jindocache', '6.9.1-202509151826'],
    ['jindofsx', '4.6.8'],
  ])('leaves a JindoRuntime of %s the tag of its engine', (engine, tag) => {
    const bound = jindo.bind(ofJindo.given({ facts: { engine }, settings: { registry } }));
    expect(JSON.stringify([bound.synth('master'), bound.synth('fuse')]).match(/"image":"[^"]*"/g)).toEqual(
      ['smartdata', 'jindo-fuse'].map((name) => `"image":"${registry}/jindofs/${name}:${tag}"`),
    );
  });
});

test('a default image that the list of its runtime lacks is found by the conformance tests', () => {
  expect(imageFaults(vineyard, ofVineyard.given())).toEqual([]);
  const images = vineyard.images.filter(({ variable }) => variable !== 'VINEYARD_FUSE_IMAGE_ENV');
  expect(imageFaults({ ...vineyard, images }, ofVineyard.given())).toEqual([
    'registry.conformance.test/vineyard/vineyard-fluid-fuse:v0.22.2: expected an image of the list, in the registry of the installation, or one that a spec names',
  ]);
});
