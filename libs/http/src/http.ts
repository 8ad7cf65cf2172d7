// HTTP, in and out: what every service that speaks it shares. The table of contents.
export { correlationIdOf, finishApp, httpApp } from './app.ts'
export { breaker, type Breaker, type BreakerOptions } from './breaker.ts'
export { callHttp, type CallOptions, type CallResult } from './call.ts'
export { errorPage, type ErrorPage } from './error-page.ts'
export { HttpFault, faultStatus, reasonOf } from './http-fault.ts'
export { listenHttp } from './listen.ts'
