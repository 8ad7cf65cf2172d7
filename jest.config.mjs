// Node loads the modules and strips their types; nothing is compiled.
export default {
  testEnvironment: '<rootDir>/tools/test-environment.mjs',
  testRunner: '<rootDir>/tools/run-test-file.mjs',
  injectGlobals: false,
  transform: {},
  testMatch: ['<rootDir>/{libs,services,clients,deploy,test,tools}/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.local/'],
  modulePathIgnorePatterns: ['/.local/'],
  testTimeout: 400_000, // a machine that is busy is slow, and that is no failure
  maxWorkers: 2, // one for each core: four were slower on a slow machine, because their services poll and retry while they wait
  workerIdleMemoryLimit: '1500MB', // modules of every test file stay in a worker; one that holds many is replaced
  reporters: ['default', '<rootDir>/tools/slowest-reporter.mjs', '<rootDir>/tools/count-reporter.mjs'],
  testSequencer: '<rootDir>/tools/longest-first.mjs',
}
