import newFs from './src/index.ts';

export default { runtimes: [newFs] };
