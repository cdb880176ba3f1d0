import { simulates } from './seeds.ts';

simulates(1001);
