// An AXI4 memory of fixed latency for one DRAM port of a TCU, with the names of its pins.
//
// The first beat of a read is offered READ cycles after its address handshake, the response to a
// write WRITE cycles after its last data; both 1 or more. Beats follow one a cycle. Up to 16 bursts
// are in flight, more than the TCU has. Bursts are INCR and of whole words, and no data comes
// before its address, as with the TCU. While `reset` is high a test bench writes words through
// `load`; it reads the word at `peek_address` at any time.
module axi_memory #(
    parameter BITS = 64,   // of a beat
    parameter WORDS = 65536,  // a power of two; higher addresses wrap
    parameter READ = 4,
    parameter WRITE = 2
) (
    input                   clock,
    input                   reset,
    input                   arvalid,
    output                  arready,
    input      [      31:0] araddr,
    input      [       7:0] arlen,
    output                  rvalid,
    input                   rready,
    output     [       5:0] rid,
    output     [  BITS-1:0] rdata,
    output     [       1:0] rresp,
    output                  rlast,
    input                   awvalid,
    output                  awready,
    input      [      31:0] awaddr,
    input                   wvalid,
    output                  wready,
    input      [  BITS-1:0] wdata,
    input      [BITS/8-1:0] wstrb,
    input                   wlast,
    output                  bvalid,
    input                   bready,
    output     [       5:0] bid,
    output     [       1:0] bresp,
    input                   load,
    input      [      31:0] load_address,
    input      [  BITS-1:0] load_data,
    input      [      31:0] peek_address,
    output     [  BITS-1:0] peek_data
);
  localparam A = $clog2(WORDS);
  localparam S = $clog2(BITS / 8);
  reg [BITS-1:0] words[0:WORDS-1];
  reg [31:0] cycle;
  assign rid = 0;
  assign rresp = 0;
  assign bid = 0;
  assign bresp = 0;
  assign peek_data = words[peek_address[S+:A]];

  // Reads: words, lengths and times of their first beats.
  reg [A-1:0] read_word[0:15];
  reg [7:0] read_length[0:15];
  reg [31:0] read_time[0:15];
  reg [4:0] reads_in, reads_out;
  reg [7:0] beat;
  wire [3:0] front = reads_out[3:0];
  assign arready = reads_in - reads_out != 16;
  assign rvalid = reads_in != reads_out & cycle - read_time[front] < 32'h80000000;
  assign rlast = beat == read_length[front];
  assign rdata = words[read_word[front]+{{A - 8{1'b0}}, beat}];

  // Writes: the words of addresses whose data is not complete, and the times of responses.
  reg [A-1:0] write_word[0:15];
  reg [4:0] writes_in, writes_out;
  reg [A-1:0] written;  // beats of the present write
  reg [31:0] response_time[0:15];
  reg [4:0] responses_in, responses_out;
  assign awready = writes_in - responses_out != 16;
  assign wready = 1;
  assign bvalid = responses_in != responses_out &
                  cycle - response_time[responses_out[3:0]] < 32'h80000000;
  wire [A-1:0] first = writes_in == writes_out ? awaddr[S+:A] : write_word[writes_out[3:0]];
  wire [A-1:0] word = first + written;

  integer i;
  always @(posedge clock)
    if (reset) begin
      cycle <= 0;
      reads_in <= 0;
      reads_out <= 0;
      beat <= 0;
      writes_in <= 0;
      writes_out <= 0;
      written <= 0;
      responses_in <= 0;
      responses_out <= 0;
      if (load) words[load_address[S+:A]] <= load_data;
    end else begin
      cycle <= cycle + 1;
      if (arvalid & arready) begin
        read_word[reads_in[3:0]] <= araddr[S+:A];
        read_length[reads_in[3:0]] <= arlen;
        read_time[reads_in[3:0]] <= cycle + READ;
        reads_in <= reads_in + 1;
      end
      if (rvalid & rready) begin
        beat <= rlast ? 0 : beat + 1;
        if (rlast) reads_out <= reads_out + 1;
      end
      if (awvalid & awready) begin
        write_word[writes_in[3:0]] <= awaddr[S+:A];
        writes_in <= writes_in + 1;
      end
      if (wvalid & wready) begin
        for (i = 0; i < BITS / 8; i = i + 1)
          if (wstrb[i]) words[word][8*i+:8] <= wdata[8*i+:8];
        written <= wlast ? 0 : written + 1;
        if (wlast) begin
          writes_out <= writes_out + 1;
          response_time[responses_in[3:0]] <= cycle + WRITE;
          responses_in <= responses_in + 1;
        end
      end
      if (bvalid & bready) responses_out <= responses_out + 1;
    end
endmodule
