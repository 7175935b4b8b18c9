// A systolic array of size N for fixed-point numbers of W bits with P bits behind the point, with
// the pins that firmware/guides/unit.md lists for the unit "array".
//
// A row multiplies and adds in N stages, one input a stage, with a register behind each; N - 1
// further registers stand for the skew between rows. Results wait in a queue of 2N-1 entries.
// FAULT 0: none. Other numbers: the lowest bit of the first result offered from cycle FAULT on is
// wrong.
module array #(
    parameter N = 4,
    parameter W = 16,
    parameter P = 8,
    parameter FAULT = 0
) (
    input              clock,
    input              reset,
    input              control_valid,
    output             control_ready,
    input  [      1:0] control_bits,
    input              weights_valid,
    output             weights_ready,
    input  [N*W-1:0]   weights_bits,
    input              input_valid,
    output             input_ready,
    input  [N*W-1:0]   input_bits,
    output             output_valid,
    input              output_ready,
    output [N*W-1:0]   output_bits
);
  localparam D = 2 * N - 1;

  // The queue of two control items.
  reg [1:0] item[0:1];
  reg [1:0] items;
  wire head = items != 0;
  wire is_load = item[0][1];
  wire zeroes = item[0][0];
  assign control_ready = items != 2;
  wire enters = control_valid & control_ready;

  reg [7:0] countdown;  // cycles until the array is drained
  wire drained = countdown == 0;
  assign input_ready = head & ~is_load & ~zeroes & output_ready;
  assign weights_ready = head & is_load & ~zeroes & drained;
  wire run = head & ~is_load & output_ready & (zeroes | input_valid);
  wire load = head & is_load & drained & (zeroes | weights_valid);
  wire taken = run | load;

  always @(posedge clock) begin
    if (reset) begin
      items <= 0;
      countdown <= 0;
    end else begin
      if (taken) item[0] <= item[1];
      if (enters) item[items[0] ^ taken] <= control_bits;
      items <= items + {1'b0, enters} - {1'b0, taken};
      countdown <= run ? D[7:0] : drained ? 8'd0 : countdown - 8'd1;
    end
  end

  // Weights: [0] are the biases, [j + 1] those of input j. A load shifts them by one.
  reg [N*W-1:0] weights[0:N];
  integer j;
  always @(posedge clock)
    if (reset) begin
      for (j = 0; j <= N; j = j + 1) weights[j] <= 0;
    end else if (load) begin
      weights[0] <= zeroes ? {N * W{1'b0}} : weights_bits;
      for (j = 0; j < N; j = j + 1) weights[j+1] <= weights[j];
    end

  // x * w + (y << P), rounded half to even at bit P and saturated.
  function automatic [W-1:0] mac(input signed [W-1:0] x, input signed [W-1:0] w, input signed [W-1:0] y);
    localparam E = W + 2;  // bits of sign in front
    reg signed [2*W+1:0] t, q;
    begin
      t = $signed({{E{x[W-1]}}, x}) * $signed({{E{w[W-1]}}, w}) +
          ($signed({{E{y[W-1]}}, y}) <<< P);
      q = t >>> P;
      if (t[P-1] & ((|t[P-2:0]) | t[P])) q = q + 1;
      if (q > (1 <<< (W - 1)) - 1) mac = {1'b0, {W - 1{1'b1}}};
      else if (q < -(1 <<< (W - 1))) mac = {1'b1, {W - 1{1'b0}}};
      else mac = q[W-1:0];
    end
  endfunction

  reg [N*W-1:0] x[0:N-1];  // inputs on their way through the stages
  reg [N*W-1:0] y[0:D-1];  // results behind each stage
  reg [D-1:0] valid;
  integer s, row;
  always @(posedge clock) begin
    valid <= reset ? {D{1'b0}} : {valid[D-2:0], run};
    for (s = 0; s < N; s = s + 1) begin
      if (s > 0) x[s] <= x[s-1];
      for (row = 0; row < N; row = row + 1)
        y[s][row*W+:W] <= mac(s == 0 ? (zeroes ? {W{1'b0}} : input_bits[0+:W]) : x[s-1][s*W+:W],
                              weights[s+1][row*W+:W],
                              s == 0 ? weights[0][row*W+:W] : y[s-1][row*W+:W]);
    end
    x[0] <= zeroes ? {N * W{1'b0}} : input_bits;
    for (s = N; s < D; s = s + 1) y[s] <= y[s-1];
  end

  // The queue of results, which passes through when it is empty.
  reg [N*W-1:0] result[0:D-1];
  reg [7:0] results;
  wire stored = results != 0;
  wire leaves = output_valid & output_ready;
  wire keeps = valid[D-1] & (stored | ~output_ready);
  integer i;
  always @(posedge clock)
    if (reset) begin
      results <= 0;
    end else begin
      if (leaves & stored) for (i = 0; i < D - 1; i = i + 1) result[i] <= result[i+1];
      if (keeps) result[results[2:0] - {2'b0, leaves}] <= y[D-1];
      results <= results + {7'b0, keeps} - {7'b0, leaves & stored};
    end
  assign output_valid = stored | valid[D-1];

  // The planted fault.
  reg [31:0] cycle;
  reg late, shown;
  always @(posedge clock) begin
    cycle <= reset ? 0 : cycle + 1;
    late <= ~reset & (late | cycle == FAULT);
    shown <= ~reset & (shown | (late & leaves));
  end
  wire wrong = FAULT != 0 & late & ~shown;
  assign output_bits = (stored ? result[0] : y[D-1]) ^ {{N * W - 1{1'b0}}, wrong};
endmodule
