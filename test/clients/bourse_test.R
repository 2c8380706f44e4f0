# Tests of bourse.R against a running service; r.ts runs it in a folder with the file that the service handed out.
source("bourse.R")
same <- function(a, b) stopifnot(isTRUE(all.equal(a, b, check.attributes = FALSE)))
failure <- function(expression) tryCatch(expression, bourse_error = function(error) error)
helper <- function(path) {
  invisible(rawToChar(curl::curl_fetch_memory(paste0(Sys.getenv("TEST_HELPER"), "/", path))$content))
}

# Every figure is that of the API, read as JSON.
read_api <- function(path) {
  handle <- curl::new_handle()
  curl::handle_setheaders(handle, Authorization = paste("Bearer", Sys.getenv("BOURSE_TOKEN")))
  address <- paste0(Sys.getenv("BOURSE_URL"), "/api/v1/svc/data/", path)
  jsonlite::fromJSON(rawToChar(curl::curl_fetch_memory(address, handle)$content), simplifyVector = FALSE)$data
}
columns <- c("date", "open", "high", "low", "close", "volume")
for (one in list(c("AAPL", "US", "AAPL"), c("7203.T", "JP", "7203"), c("VN:FPT", "VN", "FPT"), c("^N225", "JP", "%5EN225"))) {
  bars <- bourse_history(one[1], range = "1y", interval = "1wk")
  stopifnot(identical(names(bars), columns), inherits(bars$date, "Date"), nrow(bars) > 50, !is.unsorted(bars$date))
  rows <- read_api(paste0("stocks/", one[3], "/history?country=", one[2], "&range=1y&interval=1wk&fields=ohlcv"))$bars$rows
  same(bars$close, vapply(rows, function(row) as.numeric(row[[5]]), 0))
  same(as.character(bars$date), vapply(rows, function(row) row[[1]], ""))
}
total <- bourse_history("AAPL", from = "2020-08-27", to = "2020-09-01", adjust = "total", splits = TRUE)
same(total$split, c(1, 1, 4, 1))

screened <- bourse_screen("JP", where = "pe<15", sort = "-market_cap", limit = 5)
rows <- read_api("stocks/screen?country=JP&where=pe%3C15&sort=-market_cap&limit=5")$rows
same(screened$symbol, vapply(rows, function(row) row[[1]], ""))
same(screened$market_cap, vapply(rows, function(row) as.numeric(row[[5]]), 0))
stopifnot(is.character(screened$symbol), nrow(screened) == 5)

same(bourse_compare(c("AAPL", "7203.T", "VN:FPT"), metrics = "pe,roe")$symbol, c("AAPL", "7203", "FPT"))
same(bourse_statistics(c("AAPL", "^GSPC"), range = "5y")$symbol, c("AAPL", "^GSPC"))
same(bourse_portfolio(c("US:AAPL" = 10, "JP:7203" = 1000000))$symbol, c("US:AAPL", "JP:7203", "PORTFOLIO"))
stopifnot(nrow(bourse_statements("FPT", "balance", period = "quarterly", limit = 3)) == 3)
stopifnot(is.numeric(bourse_macro("US", "Unemployment rate", limit = 3)$value), nrow(bourse_macro("JP")) > 10)

# Amounts have all their digits, no exponent, and a full stop in every language.
options(OutDec = ",")
same(.bourse_text(c("US:AAPL" = 0.123456789, "B" = 1e-7, "C" = 123456789.12, "D" = 10)),
     "US:AAPL=0.123456789,B=0.0000001,C=123456789.12,D=10")
same(.bourse_text(100000), "100000")
same(bourse_portfolio(c("US:AAPL" = 0.5, "JP:7203" = 1.25))$symbol, c("US:AAPL", "JP:7203", "PORTFOLIO"))
options(OutDec = ".")

# A day ends what is known, in one call or in all.
bars <- bourse_history("AAPL", known_on = "2026-03-31")
same(max(bars$date), as.Date("2026-03-31"))
bourse_connect(known_on = "2026-03-31")
same(bourse_history("AAPL"), bars)
same(max(bourse_history("AAPL", known_on = as.Date("2026-03-30"))$date), as.Date("2026-03-30"))
bourse_connect()

# Two symbols are not one.
stopifnot(grepl("must be one symbol", conditionMessage(failure(bourse_history("AAPL,MSFT")))))

# Errors are conditions with the sentence of the service.
error <- failure(bourse_screen("US", where = "pee<1"))
stopifnot(inherits(error, "bourse_error"), error$status == 400, error$code == "INVALID_REQUEST", grepl("Did you mean pe", conditionMessage(error)))
error <- failure(bourse_history("NOPE"))
stopifnot(error$status == 404, grepl("NOPE", conditionMessage(error)))

# A used-up hour (30 calls with the plan free) waits once as told.
slept <- c()
bourse_connect(token = helper("token/free"))
for (i in 1:30) bourse_table("markets")
suppressMessages({
  error <- failure(bourse_table("markets", .sleep = function(seconds) slept <<- c(slept, seconds)))
  stopifnot(error$status == 429, length(slept) == 1, slept <= 3600)
  frame <- bourse_table("markets", .sleep = function(seconds) helper(paste0("advance/", seconds)))
  stopifnot(nrow(frame) == 3)
})
bourse_connect(token = helper("token/free"), max_wait = 1)
for (i in 1:30) bourse_table("markets")
stopifnot(failure(bourse_table("markets", .sleep = stop))$status == 429)

helper("revoke")
stopifnot(failure(bourse_table("markets"))$code == "INVALID_TOKEN")
bourse_connect(token = "")
stopifnot(grepl("Set BOURSE_TOKEN", conditionMessage(failure(bourse_table("markets")))))
bourse_connect("http://127.0.0.1:1")
stopifnot(grepl("does not answer", conditionMessage(failure(bourse_table("markets")))))
bourse_connect(paste0(Sys.getenv("TEST_HELPER"), "/moved"))
stopifnot(failure(bourse_table("markets"))$status == 301)
bourse_connect(paste0(Sys.getenv("TEST_HELPER"), "/page"))
stopifnot(grepl("no bourse service", conditionMessage(failure(bourse_table("markets")))))
cat("all passed\n")
