#!/usr/bin/env node
import { readSettings } from './config.ts'
import { processTerminal } from './terminal.ts'
import { run } from './run.ts'

// The reader of a pipe may leave early, as `head` does. Then there is nobody to write to.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})
process.exitCode = await run(process.argv.slice(2), { environment: readSettings(), terminal: processTerminal() })
