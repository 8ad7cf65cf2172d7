#!/usr/bin/env node
// An MCP server over standard input and output, for one workspace and one token.
import { bearer, openApi } from '@lettergate/client'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { readConfig, usage } from './config.ts'
import { createServer } from './server.ts'

async function main(argv: readonly string[]): Promise<void> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(usage())
    return
  }
  const { baseUrl, token, workspace, enabled } = readConfig(argv)
  const api = openApi({ baseUrl, credential: bearer(token) })
  await createServer({ api, workspace, enabled }).connect(new StdioServerTransport())
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit() // the client has left
})
try {
  await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`) // standard output belongs to the protocol
  process.exitCode = 2
}
