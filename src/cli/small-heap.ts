import { setFlagsFromString } from 'node:v8';

/**
 * For commands that read and print thousands of objects on machines of pipelines. Without it V8 keeps twice as much garbage as there is
 * data; with it they take a sixth more CPU time.
 */
export function keepHeapSmall(): void {
  // The space of new objects stays at its first size, 1 MB in place of up to 32.
  setFlagsFromString('--semi-space-growth-factor=1');
  // The rest is collected when it has grown by a quarter.
  setFlagsFromString('--heap-growing-percent=25');
}
