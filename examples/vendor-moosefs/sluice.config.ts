import moosefs from './src/index.ts';

export default { runtimes: [moosefs] };
