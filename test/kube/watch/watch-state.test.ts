import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/kube/errors.ts';
import { ended, failed, listed, reached, resumed, type State, UNLISTED, watching } from '../../../src/kube/watch/watch-state.ts';

const refused = (status: number) => new ApiError({ method: 'WATCH', path: '/api/v1/pods' }, status, 'no');
const end = () => {};
const at = (version: string, rejections = 0): State => ({ is: 'listed', version, rejections });
const open = (version: string, rejections = 0) => watching({ is: 'listed', version, rejections }, end);

describe('a list or a watch that fails', () => {
  test.each<[string, State, unknown, number, State]>([
    ['while nothing is listed: it is listed', UNLISTED, refused(500), 0, UNLISTED],
    ['a watch that breaks is resumed', open('7'), new Error('reset'), 0, at('7')],
    ['so is one that the server refuses for the moment', at('7', 4), refused(429), 0, at('7', 4)],
    ['and one of a server that restarts', at('7', 4), refused(503), 0, at('7', 4)],
    ['a rejection is counted', at('7'), refused(500), 0, at('7', 1)],
    ['so is a line that is no event', open('7', 1), new SyntaxError('no JSON'), 0, at('7', 2)],
    ['after five of them it is listed', at('7', 4), refused(500), 0, UNLISTED],
    ['a version that the server has forgotten', at('7'), refused(410), 0, UNLISTED],
    ['a kind that the server does not serve', at('7'), refused(404), 0, UNLISTED],
    ['a watch that is behind is resumed', open('7'), new Error('behind'), 1, at('7')],
    ['one that is behind again is listed', open('7'), new Error('behind'), 2, UNLISTED],
  ])('%s', (_, state, error, timesBehind, expected) => {
    expect(failed(state, error, timesBehind)).toEqual(expected);
  });
});

test('a watch that ends is resumed from the last version that it has shown', () => {
  expect(ended(reached(open('7'), '9'))).toEqual(at('9'));
});

test('a watch that works makes rejections count anew', () => {
  expect(ended(resumed(open('7', 4)))).toEqual(at('7'));
  expect(listed('8')).toEqual(at('8'));
});
