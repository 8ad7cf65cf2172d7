import { printableLine } from './printable.ts'
import type { Terminal } from './terminal.ts'

const width = 30

/** A bar such as `████░░  40 %  2,000 of 5,000`. */
export function bar(done: number, all: number): string {
  const share = all === 0 ? 1 : Math.min(1, done / all)
  const full = Math.round(share * width)
  const numbers = `${done.toLocaleString('en')} of ${all.toLocaleString('en')}`
  return `${'█'.repeat(full)}${'░'.repeat(width - full)} ${String(Math.floor(share * 100)).padStart(3)} %  ${numbers}`
}

/** Shows a changing line: drawn again on a terminal, and elsewhere a line for each change. */
export function progressOn(terminal: Terminal): { show(line: string): void; end(): void } {
  let last = ''
  return {
    show(text) {
      const line = printableLine(text)
      if (line === last) return
      last = line
      terminal.err(terminal.isInteractive ? `\r\u001b[2K${line}` : `${line}\n`)
    },
    end() {
      if (terminal.isInteractive && last !== '') terminal.err('\n')
    },
  }
}
