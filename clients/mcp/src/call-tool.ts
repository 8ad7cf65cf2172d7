import type { ApiClient, Result } from '@lettergate/client'
import { InputError, inWorkspace } from '@lettergate/client'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { Tool } from './tool.ts'

type AnyCall = (input: Record<string, unknown>) => Promise<Result<unknown>>

const said = (text: string, isError: boolean): CallToolResult => ({ content: [{ type: 'text', text }], isError })

/** Calls the operation of a tool. A refusal is an answer in words with its reason and reference. */
export async function callTool(
  tool: Tool,
  input: Record<string, unknown>,
  { api, workspace }: { api: ApiClient; workspace: string },
): Promise<CallToolResult> {
  const calls = inWorkspace(api, workspace) as unknown as Record<string, AnyCall>
  const missing = tool.inputSchema.required.filter((name) => input[name] === undefined)
  if (missing.length > 0) return said(`${tool.name} needs ${missing.join(', ')}.`, true)
  const wrong = wrongChoice(tool, input)
  if (wrong !== undefined) return said(wrong, true)
  try {
    const result = await calls[tool.name]!(tool.takesFile ? withFile(input) : input)
    return result.ok ? said(JSON.stringify(result.data, null, 2), false) : said(refusal(result), true)
  } catch (error) {
    if (error instanceof InputError) return said(error.message, true)
    throw error
  }
}

/** A parameter that has none of the values of its schema, in words. The service checks bodies. */
function wrongChoice({ inputSchema }: Tool, input: Record<string, unknown>): string | undefined {
  for (const [name, schema] of Object.entries<{ enum?: unknown[] }>(inputSchema.properties))
    if (input[name] !== undefined && schema.enum && !schema.enum.includes(input[name]))
      return `${name} must be one of: ${schema.enum.join(', ')}.`
  return undefined
}

/** A form whose file was given as text. */
function withFile(input: Record<string, unknown>): Record<string, unknown> {
  const body = input['body'] as Record<string, unknown>
  return { ...input, body: { ...body, file: new File([String(body['file'])], 'agent.csv', { type: 'text/csv' }) } }
}

function refusal({
  status,
  reason,
  message,
  correlationId,
  retryAfter,
}: Extract<Result<unknown>, { ok: false }>): string {
  const said = status === 0 ? `No answer (${reason})` : `Refused with ${status} ${reason}`
  return `${said}: ${message}\n${adviceOn(status, retryAfter)}Reference for support: ${correlationId}`
}

function adviceOn(status: number, retryAfter: number | undefined): string {
  if (status === 403)
    return 'The role of this token does not allow it. Ask a person with the right; do not try another way.\n'
  if (status === 422)
    return 'Correct the named fields. If a gate or a state forbids it, ask a person; do not try again in a loop.\n'
  if (status === 429) return `Wait ${retryAfter ?? 60} seconds before the next call.\n`
  if (status === 0 || status >= 500)
    return 'It is unknown whether it was done. Read the object before you repeat a change.\n'
  return ''
}
