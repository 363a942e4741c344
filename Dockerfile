# One static program in an image without a shell. Build each:
#   docker build --build-arg PROGRAM=ingest --build-arg VERSION=0.1.0 -t shoeproof/ingest:0.1.0 .
#   docker build --build-arg PROGRAM=audit  --build-arg VERSION=0.1.0 -t shoeproof/audit:0.1.0 .
FROM golang:1.26 AS build
ARG PROGRAM VERSION=unknown
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN test -d "cmd/$PROGRAM" || { echo "PROGRAM must be ingest or audit"; exit 1; }; \
    CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.version=$VERSION" -o /program "./cmd/$PROGRAM" && deploy/dev/notices.sh >/NOTICES

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /program /program
COPY --from=build /NOTICES /src/LICENSE /
USER 65532:65532
ENTRYPOINT ["/program"]
