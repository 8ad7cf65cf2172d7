import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Where the command line reads and writes. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** whether a person can answer questions, and a line can be drawn again */
  isInteractive: boolean
  /** One line of a person. A hidden line is not shown while it is typed. */
  ask(question: string, options?: { isHidden?: boolean }): Promise<string>
  /** Everything that is piped in. */
  readAll(): Promise<string>
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isInteractive: process.stdin.isTTY && process.stderr.isTTY,
    async ask(question, { isHidden = false } = {}) {
      process.stderr.write(question)
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
      const lines = createInterface({
        input: process.stdin,
        output: isHidden ? nowhere : process.stderr,
        terminal: true,
      })
      const line = await lines.question('')
      lines.close()
      if (isHidden) process.stderr.write('\n')
      return line.trim()
    },
    async readAll() {
      let text = ''
      for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk as string
      return text.trim()
    },
  }
}
