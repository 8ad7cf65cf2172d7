import type { Service } from '@lettergate/service'

/** The lines that a service logs from now on, of every level, independent of the log level of the test run. */
export function linesOf({ log }: Pick<Service, 'log'>): string[] {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const output = Object.getOwnPropertySymbols(log).find((symbol) => symbol.description === 'pino.stream')!
  log.level = 'debug'
  Object.assign(log, { [output]: stream })
  return lines
}
