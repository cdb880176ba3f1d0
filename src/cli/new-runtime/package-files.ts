/** The files that make a runtime a package of its own. */
export interface PackageOptions {
  readonly name: string;
  readonly sluice: { readonly name: string; readonly version: string };
  /** The archive that `npm pack` writes in a checkout, or that this package was installed from; absent if it came from a registry. */
  readonly packed: string | undefined;
}

export const packageFiles = (options: PackageOptions): Readonly<Record<string, string>> => ({
  'package.json': json(manifest(options)),
  'tsconfig.json': json(TSCONFIG),
  'tsconfig.build.json': json(TSCONFIG_BUILD),
});

const manifest = ({ name, sluice, packed }: PackageOptions) => ({
  name: `sluice-runtime-${name}`,
  version: '0.1.0',
  type: 'module',
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  files: ['dist'],
  scripts: { build: 'tsc -p tsconfig.build.json', prepare: 'npm run build', test: 'vitest run' },
  peerDependencies: { [sluice.name]: `^${sluice.version}` },
  devDependencies: {
    cdk8s: '^2.70.0',
    constructs: '^10.3.0',
    [sluice.name]: packed === undefined ? `^${sluice.version}` : `file:${packed}`,
    // Needed by `sluice image`.
    esbuild: '>=0.25.0 <1',
    typescript: '^6.0.0',
    vitest: '^5.0.0',
  },
});

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    module: 'NodeNext',
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
  include: ['src', 'test', 'sluice.config.ts'],
};

/** Node strips no types of what is installed, so it is compiled before it is published. */
const TSCONFIG_BUILD = {
  extends: './tsconfig.json',
  compilerOptions: {
    noEmit: false,
    allowImportingTsExtensions: false,
    rewriteRelativeImportExtensions: true,
    declaration: true,
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
};

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
