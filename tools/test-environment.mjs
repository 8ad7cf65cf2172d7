// The environment of a test file for Jest: the globals of Node itself instead of a copy in a context of its own, so that the
// test files of one worker share the modules that they load (see run-test-file.mjs).
import { ModernFakeTimers } from '@jest/fake-timers'
import { ModuleMocker } from 'jest-mock'

export default class TestEnvironment {
  global = globalThis
  #globals = Object.getOwnPropertyDescriptors(globalThis)
  #exit = Object.getOwnPropertyDescriptor(process, 'exit')

  constructor({ projectConfig }) {
    this.moduleMocker = new ModuleMocker(globalThis)
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis })
  }

  async setup() {}

  /** Restores the globals: Jest exchanges the console and `process.exit`, tests the timers. */
  async teardown() {
    this.fakeTimersModern.dispose()
    for (const [name, was] of Object.entries(this.#globals)) {
      if (was.configurable && globalThis[name] !== was.value) Object.defineProperty(globalThis, name, was)
    }
    Object.defineProperty(process, 'exit', this.#exit)
  }

  exportConditions() {
    return ['node', 'node-addons']
  }

  getVmContext() {
    return null
  }
}
