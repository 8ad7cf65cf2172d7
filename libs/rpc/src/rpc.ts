export { serveRpc, type Operations, type Reply } from './serve.ts'
export { connect, type Client, type Conditions } from './connect.ts'
