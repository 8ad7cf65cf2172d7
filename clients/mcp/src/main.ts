#!/usr/bin/env node
// An MCP server over standard input and output, for one workspace and one token.
import { bearer, openApi } from '@lettergate/client'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { readConfig } from './config.ts'
import { createServer } from './server.ts'

try {
  const { baseUrl, token, workspace, enabled } = readConfig(process.argv.slice(2))
  const api = openApi({ baseUrl, credential: bearer(token) })
  await createServer({ api, workspace, enabled }).connect(new StdioServerTransport())
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`) // standard output belongs to the protocol
  process.exitCode = 2
}
