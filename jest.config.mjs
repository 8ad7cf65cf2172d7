// Jest strips the types itself, with Node's own stripper; nothing is compiled.
export default {
  testEnvironment: 'node',
  transform: {},
  testMatch: ['<rootDir>/{libs,services,deploy,test,tools}/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.local/'],
  modulePathIgnorePatterns: ['/.local/'],
  testTimeout: 180_000, // a machine that is busy is slow, and that is no failure
  maxWorkers: 3,
  workerIdleMemoryLimit: '1500MB', // modules of every test file stay in a worker; one that holds many is replaced
  reporters: ['default', '<rootDir>/tools/slowest-reporter.mjs', '<rootDir>/tools/count-reporter.mjs'],
  testSequencer: '<rootDir>/tools/longest-first.mjs',
}
