/**
 * How long one tenant's texts may hold the event loop of the controller, which is everybody's: CPU time, without the time that the machine
 * gives to others. Admissions of pods are in `webhook-hostile`.
 */
import { atMost, type Bench } from '../figure.ts';
import { answers } from './answers.ts';
import type { Cost } from './cost.ts';
import { operations } from './operations.ts';
import { specs } from './specs.ts';
import { texts } from './texts.ts';

const TARGET_MS = 50;

export const eventLoop: Bench = {
  name: 'event-loop',
  async *run({ quick }) {
    for (const rows of [specs, texts, answers, operations])
      for (const { row, ms, detail } of rows(quick) as Iterable<Cost>) yield atMost(`event-loop/${row}`, ms, 'CPU ms', TARGET_MS, detail);
  },
};
