import type { Part } from './contract.ts';

/** In the order of set-up: the claim before the volume, which names the claim's UID. */
export const PARTS: readonly Part[] = ['master', 'fuse', 'worker', 'claim', 'volume'];

/** In the order in which they are printed: what refers to another object after that object. */
export const PRINT_ORDER: readonly Part[] = ['master', 'fuse', 'worker', 'volume', 'claim'];
