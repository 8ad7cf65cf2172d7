import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const configuration = new URL('jaeger.yaml', import.meta.url).pathname

/** The program `jaeger` of Jaeger 2 in these directories, if there is one. */
export function findJaeger(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(Boolean)
    .map((directory) => join(directory, 'jaeger'))
    .find((program) => {
      try {
        accessSync(program, constants.X_OK)
        return statSync(program).isFile()
      } catch {
        return false
      }
    })
}

export interface Jaeger {
  /** the address of its pages */
  readonly url: string
  isReady(): Promise<boolean>
  /** resolves when Jaeger has ended, for whatever reason */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

export interface JaegerOptions {
  program: string
  uiPort: number
  otlpPort: number
}

/** Starts Jaeger, which receives traces by OTLP/HTTP and keeps them in memory. */
export function startJaeger({ program, uiPort, otlpPort }: JaegerOptions): Jaeger {
  // It needs nothing else of the environment.
  const env = { JAEGER_UI_PORT: String(uiPort), JAEGER_OTLP_PORT: String(otlpPort) }
  const child = spawn(program, ['--config', configuration], { stdio: 'inherit', env })
  const url = `http://127.0.0.1:${uiPort}`
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()))
  return {
    url,
    ended,
    isReady: () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
