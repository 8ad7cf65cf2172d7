/** A tool for one operation of the API; generated from its OpenAPI document. */
export interface Tool {
  /** the id of the operation */
  name: string
  title: string
  /** what the operation does, who may call it, and its safety class in words */
  description: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  safetyClass: 'database-only' | 'external checks' | 'test delivery' | 'production path'
  /** a capability of the role matrix, `authenticated` or `public` */
  capability: string
  /** whether `body.file` is the text of a file */
  takesFile?: true
  /** whether a repeat with the same key has no further effect */
  takesKey?: true
  /** JSON Schema, without the slugs of the workspace */
  inputSchema: {
    type: 'object'
    properties: Record<string, object>
    required: string[]
    $defs?: Record<string, object>
  }
}
