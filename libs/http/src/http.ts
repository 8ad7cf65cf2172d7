// HTTP servers and clients of the services.
export { httpApp, nothingHere, type HttpHandler } from './app.ts'
export { breaker, type Breaker, type BreakerOptions } from './breaker.ts'
export { callHttp, type CallOptions, type CallResult } from './call.ts'
export { errorPage, type ErrorPage } from './error-page.ts'
export { HttpFault, faultStatus, reasonOf } from './http-fault.ts'
export { listenHttp } from './listen.ts'
export { correlationIdOf, noteRoute } from './request-facts.ts'
