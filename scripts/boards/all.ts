import type { Board } from './board.ts';
import { dataset } from './dataset.ts';
import { fleet } from './fleet.ts';
import { nodePlugin } from './node-plugin.ts';
import { operations } from './operations.ts';
import { webhook } from './webhook.ts';

export const boards: readonly Board[] = [fleet, dataset, operations, nodePlugin, webhook];
